/** Short notices at the edge: announced, never in the way of the focus, gone by themselves unless somebody is at them. */
import { X } from "lucide-react";
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from "react";

import { IconButton } from "./Button";
import { classes } from "./classes";
import { useWords } from "./i18n";

export interface Toast {
  text: string;
  /** What went wrong is told at once. */
  tone?: "danger";
  action?: { label: string; hint?: string; run: () => void };
  seconds: number;
  /** The action is possible for so long and no longer: the seconds are counted down, and nobody holds them up. */
  exact?: boolean;
}

interface Shown extends Toast {
  id: number;
}

/** Shows one; the answer takes it away. */
type Show = (toast: Toast) => () => void;

const MOST = 4;
const Toasts = createContext<Show>(() => () => undefined);

export function useToast(): Show {
  return useContext(Toasts);
}

export function Toaster({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<readonly Shown[]>([]);
  const count = useRef(0);
  const show = useCallback<Show>((toast) => {
    count.current += 1;
    const id = count.current;
    setShown((others) => [...others, { ...toast, id }].slice(-MOST));
    return () => setShown((others) => others.filter((other) => other.id !== id));
  }, []);
  const close = useCallback((id: number) => setShown((others) => others.filter((other) => other.id !== id)), []);
  const [bad, good] = useMemo(() => [shown.filter(({ tone }) => tone === "danger"), shown.filter(({ tone }) => tone !== "danger")], [shown]);
  return (
    <Toasts.Provider value={show}>
      {children}
      <div className="pointer-events-none fixed inset-x-0 bottom-4 z-30 flex flex-col items-center gap-2 px-3 max-md:bottom-18">
        <div role="alert" className="contents">
          {bad.map((toast) => (
            <ToastItem key={toast.id} toast={toast} onClose={close} />
          ))}
        </div>
        <div role="status" aria-live="polite" className="contents">
          {good.map((toast) => (
            <ToastItem key={toast.id} toast={toast} onClose={close} />
          ))}
        </div>
      </div>
    </Toasts.Provider>
  );
}

function ToastItem({ toast, onClose }: { toast: Shown; onClose: (id: number) => void }) {
  const words = useWords();
  const [held, setHeld] = useState(false);
  const { id, seconds, action, exact = false } = toast;
  useEffect(() => {
    if (held && !exact) return;
    const timer = setTimeout(() => onClose(id), seconds * 1000);
    return () => clearTimeout(timer);
  }, [exact, held, id, onClose, seconds]);
  return (
    <div
      data-toast
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
      className={classes(
        "pointer-events-auto flex max-w-full items-center gap-2 rounded-l border bg-raised py-1 pr-1 pl-4 text-13 shadow-[0_8px_24px_rgb(0_0_0/0.16)]",
        toast.tone === "danger" ? "border-danger text-danger" : "border-line",
      )}
    >
      <span className="min-w-0 py-1.5 break-words">{toast.text}</span>
      {action !== undefined && (
        <button
          type="button"
          className="target h-8 shrink-0 rounded-m px-2.5 font-semibold text-accent hover:bg-hover"
          title={action.hint === undefined ? undefined : `${action.label} (${action.hint})`}
          onClick={() => {
            onClose(id);
            action.run();
          }}
        >
          {action.label}
          {exact && <Countdown seconds={seconds} />}
        </button>
      )}
      <IconButton icon={X} label={words("app.close")} onClick={() => onClose(id)} />
    </div>
  );
}

/** For the eyes only: heard, it would never end. */
function Countdown({ seconds }: { seconds: number }) {
  const [left, setLeft] = useState(seconds);
  useEffect(() => {
    const timer = setInterval(() => setLeft((now) => Math.max(0, now - 1)), 1000);
    return () => clearInterval(timer);
  }, []);
  return (
    <span aria-hidden className="ml-1 inline-block min-w-4 text-text3 tabular-nums">
      {left}
    </span>
  );
}
