/** Buttons, with and without words. */
import type { LucideIcon } from "lucide-react";
import type { ComponentProps } from "react";

import { classes } from "./classes";

type Look = "primary" | "plain" | "danger";

const looks: Record<Look, string> = {
  primary: "bg-accent text-on-accent border-transparent font-semibold hover:brightness-110",
  plain: "bg-surface text-text border-line font-semibold hover:bg-hover",
  danger: "bg-surface text-danger border-line font-semibold hover:bg-hover",
};

export function Button({ look = "plain", className, type = "button", ...rest }: ComponentProps<"button"> & { look?: Look }) {
  return (
    <button
      type={type}
      className={classes(
        "target inline-flex h-9 items-center justify-center gap-2 rounded-m border px-3.5 text-13 transition-colors",
        "disabled:cursor-default disabled:opacity-60",
        looks[look],
        className,
      )}
      {...rest}
    />
  );
}

type IconButtonProps = Omit<ComponentProps<"button">, "aria-label" | "title"> & { icon: LucideIcon; label: string; hint?: string };

/** A button that is only a picture; its label is also its tooltip, with the key that does the same. */
export function IconButton({ icon: Icon, label, hint, className, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={hint === undefined ? label : `${label} (${hint})`}
      className={classes(
        "target inline-flex size-8 shrink-0 items-center justify-center rounded-m text-text2 transition-colors",
        "hover:bg-hover hover:text-text disabled:opacity-40",
        className,
      )}
      {...rest}
    >
      <Icon size={17} strokeWidth={1.75} aria-hidden />
    </button>
  );
}
