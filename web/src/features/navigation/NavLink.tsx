/** One line of the sidebar. */
import type { LucideIcon } from "lucide-react";
import type { CSSProperties, ReactNode } from "react";
import { Link } from "wouter";

import { classes } from "@/ui/classes";
import { useWords } from "@/ui/i18n";

interface NavLinkProps {
  href: string;
  label: string;
  icon?: LucideIcon;
  /** Stands where the icon would. */
  mark?: ReactNode;
  count?: number;
  /** What the number counts. */
  counted?: "nav.unread" | "nav.drafts_count" | "nav.outbox_count";
  current?: boolean;
  quiet?: boolean;
  style?: CSSProperties;
  /** Beside the link, in the same line. */
  children?: ReactNode;
}

export function NavLink({ href, label, icon: Icon, mark, count = 0, counted = "nav.unread", current = false, quiet = false, style, children }: NavLinkProps) {
  const words = useWords();
  return (
    <li className="group relative">
      <Link
        href={href}
        aria-current={current ? "page" : undefined}
        style={style}
        className={classes(
          "target flex h-[30px] items-center gap-3 rounded-m px-2.5 text-14 transition-colors",
          current ? "bg-selected font-semibold text-text" : "text-text2 hover:bg-hover",
          quiet && "text-13 text-text3",
        )}
      >
        <span className="flex w-4 shrink-0 justify-center">
          {Icon === undefined ? mark : <Icon size={16} strokeWidth={1.75} aria-hidden />}
        </span>
        <span className="min-w-0 flex-1 truncate">{label}</span>
        {count > 0 && (
          <span className="text-12 tabular-nums">
            <span aria-hidden>{count}</span>
            <span className="sr-only">{words(counted, { count })}</span>
          </span>
        )}
      </Link>
      {children}
    </li>
  );
}
