/** What jsdom lacks, so that components run as they do in a browser. */
import "@testing-library/jest-dom/vitest";

import { cleanup, configure } from "@testing-library/react";
import { afterEach, beforeEach, vi } from "vitest";

// A busy machine is slow, not wrong.
configure({ asyncUtilTimeout: 5000 });

/** The height every element claims to have; the virtual list needs one. */
export const VIEWPORT = 900;

class Observer {
  observe() {
    return undefined;
  }
  unobserve() {
    return undefined;
  }
  disconnect() {
    return undefined;
  }
}

/** Everything is near the viewport. */
class Near extends Observer {
  constructor(private readonly tell: IntersectionObserverCallback) {
    super();
  }
  override observe() {
    const entry = { isIntersecting: true, intersectionRatio: 1 } as IntersectionObserverEntry;
    queueMicrotask(() => this.tell([entry], this as unknown as IntersectionObserver));
    return undefined;
  }
}

beforeEach(() => {
  vi.stubGlobal("ResizeObserver", Observer);
  vi.stubGlobal("IntersectionObserver", Near);
  vi.stubGlobal("matchMedia", (query: string) => ({
    matches: false,
    media: query,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }));
  vi.stubGlobal("CSS", { escape: (text: string) => text });
  Element.prototype.scrollIntoView = () => undefined;
  Element.prototype.scrollTo = () => undefined;
  vi.spyOn(Element.prototype, "clientHeight", "get").mockReturnValue(VIEWPORT);
  vi.spyOn(Element.prototype, "clientWidth", "get").mockReturnValue(1440);
});

afterEach(() => {
  cleanup();
  localStorage.clear();
  history.replaceState(null, "", "/");
  document.title = "";
});
