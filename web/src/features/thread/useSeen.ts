/** Tells when something has been before the reader's eyes for a moment. */
import { type RefObject, useEffect, useRef } from "react";

const MOMENT = 600;
/** Of what is taller than the window, so much of the window counts as all of it. */
const ENOUGH = 120;

export function useSeen(element: RefObject<HTMLElement | null>, wanted: boolean, onSeen: () => void): void {
  const latest = useRef(onSeen);
  useEffect(() => {
    latest.current = onSeen;
  });
  useEffect(() => {
    if (!wanted || element.current === null) return;
    let shown = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      clearTimeout(timer);
      if (shown && document.visibilityState === "visible") timer = setTimeout(() => latest.current(), MOMENT);
    };
    const observer = new IntersectionObserver(
      ([entry]) => {
        shown = entry !== undefined && entry.isIntersecting && (entry.intersectionRatio >= 0.5 || entry.intersectionRect.height >= ENOUGH);
        look();
      },
      { threshold: [0, 0.1, 0.25, 0.5, 1] },
    );
    observer.observe(element.current);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearTimeout(timer);
      observer.disconnect();
      document.removeEventListener("visibilitychange", look);
    };
  }, [element, wanted]);
}
