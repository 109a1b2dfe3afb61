/** Quiet states: something to know, nothing to see, still waiting. */
import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

import { classes } from "./classes";

/** A coloured strip. What went wrong is announced at once. */
export function Notice({ tone, children }: { tone: "warn" | "danger"; children: ReactNode }) {
  return (
    <div
      role={tone === "danger" ? "alert" : "note"}
      className={classes("rounded-m bg-warnbg px-3 py-2 text-13", tone === "danger" ? "text-danger" : "text-warn")}
    >
      {children}
    </div>
  );
}

interface EmptyProps {
  icon: LucideIcon;
  title: string;
  text?: string;
  children?: ReactNode;
}

export function Empty({ icon: Icon, title, text, children }: EmptyProps) {
  return (
    <div className="flex h-full flex-col items-center justify-center gap-2 p-8 text-center">
      <Icon size={28} strokeWidth={1.5} className="mb-1 text-text3" aria-hidden />
      <p className="text-14 font-semibold">{title}</p>
      {text !== undefined && <p className="max-w-80 text-13 text-text2">{text}</p>}
      {children}
    </div>
  );
}

/** A bar for known progress; `value` of `total`. */
export function Progress({ value, total, label }: { value: number; total: number; label: string }) {
  const share = total > 0 ? Math.min(100, (value / total) * 100) : 0;
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={value}
      className="h-1.5 overflow-hidden rounded-full bg-line"
    >
      <div className="h-full rounded-full bg-accent transition-[width]" style={{ width: `${share}%` }} />
    </div>
  );
}
