/** Form fields: label above, hint and error below, both announced with the field. */
import { type ComponentProps, type ReactNode, useId } from "react";

import { classes } from "./classes";

const box = classes(
  "h-10 w-full rounded-m border border-input bg-surface px-3 text-14 text-text transition-colors",
  "focus-visible:outline-2 focus-visible:-outline-offset-1 focus-visible:outline-accent",
  "disabled:border-line disabled:bg-bg disabled:text-text3 aria-invalid:border-danger max-md:h-11 max-md:text-16",
);

interface Around {
  label: string;
  hint?: ReactNode;
  error?: ReactNode;
  className?: string;
}

export function Field({ label, hint, error, className, ...rest }: Around & Omit<ComponentProps<"input">, "className">) {
  const id = useId();
  const described = hasWords(error) || hasWords(hint);
  return (
    <div className={className}>
      <Label htmlFor={id}>{label}</Label>
      <input id={id} className={box} aria-invalid={hasWords(error)} aria-describedby={described ? `${id}-d` : undefined} {...rest} />
      <Below id={`${id}-d`} hint={hint} error={error} />
    </div>
  );
}

interface ChoiceProps<Value extends string> extends Around {
  value: Value | undefined;
  options: readonly (readonly [Value, string])[];
  onChange: (value: Value) => void;
}

export function Choice<Value extends string>({ label, hint, className, value, options, onChange }: ChoiceProps<Value>) {
  const id = useId();
  return (
    <div className={className}>
      <Label htmlFor={id}>{label}</Label>
      <select
        id={id}
        className={box}
        aria-describedby={hasWords(hint) ? `${id}-d` : undefined}
        value={value}
        onChange={(event) => {
          const chosen = options.find(([option]) => option === event.target.value);
          if (chosen !== undefined) onChange(chosen[0]);
        }}
      >
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
      <Below id={`${id}-d`} hint={hint} />
    </div>
  );
}

export function Check({ label, ...rest }: { label: string } & ComponentProps<"input">) {
  return (
    <label className="target flex items-center gap-2 text-13">
      <input type="checkbox" className="size-4 accent-accent" {...rest} />
      {label}
    </label>
  );
}

function Label({ htmlFor, children }: { htmlFor: string; children: ReactNode }) {
  return (
    <label htmlFor={htmlFor} className="mb-1 block text-13 font-semibold">
      {children}
    </label>
  );
}

function Below({ id, hint, error }: { id: string; hint?: ReactNode; error?: ReactNode }) {
  if (hasWords(error)) {
    return (
      <p id={id} className="mt-1 text-12 text-danger">
        {error}
      </p>
    );
  }
  return hasWords(hint) ? (
    <p id={id} className="mt-1 text-12 text-text3">
      {hint}
    </p>
  ) : null;
}

function hasWords(node: ReactNode): boolean {
  return node !== undefined && node !== null && node !== false && node !== "";
}
