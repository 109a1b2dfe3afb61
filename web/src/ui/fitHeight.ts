/** Makes a frame as high as its mail, and gives up on mail that grows with its frame. */
const GROWTHS = 8;
const WINDOW = 1000;

/** Below this width of the frame mail that is too wide is made smaller, as on every phone; no smaller than half. */
const PHONE = 600;
const LEAST = 0.5;

/** Returns how to stop. `page` has the whole mail in #wm-root. */
export function fitHeight(page: Document, onHeight: (height: number) => void, now: () => number = () => performance.now()): () => void {
  const root = page.querySelector<HTMLElement>("#wm-root");
  if (root === null) return () => undefined;
  let last = 0;
  let growths: number[] = [];

  const observer = new ResizeObserver(() => {
    fitWidth(page, root);
    const height = Math.ceil(root.getBoundingClientRect().height);
    if (height === last) return;
    if (height > last) growths = [...growths.filter((at) => now() - at < WINDOW), now()];
    if (growths.length > GROWTHS) {
      observer.disconnect();
      page.documentElement.style.overflow = "auto";
      return;
    }
    last = height;
    onHeight(height);
  });
  observer.observe(root);
  return () => observer.disconnect();
}

/** Mail wider than its place is shown smaller on a phone; what is still too wide scrolls sideways instead of being cut off. */
function fitWidth(page: Document, root: HTMLElement): void {
  const there = page.documentElement.clientWidth;
  if (there < PHONE && root.scrollWidth > root.clientWidth) {
    page.body.style.zoom = String(Math.max(LEAST, root.clientWidth / root.scrollWidth));
  }
  page.documentElement.style.overflowX = root.scrollWidth > root.clientWidth ? "auto" : "hidden";
}
