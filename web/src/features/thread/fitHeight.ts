/** Makes a frame as high as its mail, and gives up on mail that grows with its frame. */
const GROWTHS = 8;
const WINDOW = 1000;

/** Returns how to stop. `page` has the whole mail in #wm-root. */
export function fitHeight(page: Document, onHeight: (height: number) => void, now: () => number = () => performance.now()): () => void {
  const root = page.querySelector<HTMLElement>("#wm-root");
  if (root === null) return () => undefined;
  let last = 0;
  let growths: number[] = [];

  const observer = new ResizeObserver(() => {
    const height = Math.ceil(root.getBoundingClientRect().height);
    if (height === last) return;
    if (height > last) growths = [...growths.filter((at) => now() - at < WINDOW), now()];
    if (growths.length > GROWTHS) {
      observer.disconnect();
      page.documentElement.style.overflow = "auto";
      return;
    }
    last = height;
    // Wider than its place (a newsletter on a phone): it scrolls sideways instead of being cut off.
    page.documentElement.style.overflowX = root.scrollWidth > root.clientWidth ? "auto" : "hidden";
    onHeight(height);
  });
  observer.observe(root);
  return () => observer.disconnect();
}
