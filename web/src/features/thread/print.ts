/** Prints a conversation: a document of its own, in a frame that is thrown away (web.md §2). */
import { printAddress } from "@/api/addresses";

export function printThread(thread: string): void {
  const frame = document.createElement("iframe");
  frame.sandbox.add("allow-same-origin", "allow-modals");
  frame.setAttribute("aria-hidden", "true");
  frame.className = "invisible fixed size-0";
  frame.src = printAddress(thread);
  frame.addEventListener("load", () => {
    const page = frame.contentWindow;
    if (page === null) return;
    page.addEventListener("afterprint", () => setTimeout(() => frame.remove()));
    page.print();
  });
  document.body.append(frame);
}
