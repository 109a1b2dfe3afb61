/** True once an element has come near the viewport; frames cost too much to make all at once. */
import { type RefObject, useEffect, useState } from "react";

export function useNear(place: RefObject<HTMLElement | null>, margin = "800px"): boolean {
  const [near, setNear] = useState(false);
  useEffect(() => {
    const element = place.current;
    if (near || element === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) setNear(true);
      },
      { rootMargin: margin },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [near, margin, place]);
  return near;
}
