/** A document of somebody else in a frame that never runs script (web.md §2), as high as its content. */
import { useEffect, useRef, useState } from "react";

import { fitHeight } from "./fitHeight";
import { useWords } from "./i18n";
import { forwardKeys } from "./keyboard";
import { Notice } from "./Notice";

const SANDBOX = "allow-same-origin allow-popups allow-popups-to-escape-sandbox";

interface SandboxedFrameProps {
  src: string;
  title: string;
  height: number;
  onHeight: (height: number) => void;
}

/** Mount it anew for another `src`. */
export function SandboxedFrame({ src, title, height, onHeight }: SandboxedFrameProps) {
  const words = useWords();
  const [failed, setFailed] = useState(false);
  const frame = useRef<HTMLIFrameElement>(null);
  const leave = useRef<(() => void) | null>(null);
  useEffect(() => () => leave.current?.(), []);

  const loaded = () => {
    leave.current?.();
    const page = frame.current?.contentDocument;
    if (!frame.current || !page) return;
    if (page.querySelector("#wm-root") === null) {
      setFailed(true);
      return;
    }
    // A frame whose colour scheme differs from its document's is painted opaque (CSS Color Adjustment 1 §2.2).
    frame.current.style.colorScheme = page.defaultView?.getComputedStyle(page.documentElement).colorScheme ?? "";
    const unfit = fitHeight(page, onHeight);
    const silence = forwardKeys(page);
    leave.current = () => {
      unfit();
      silence();
    };
  };

  if (failed) return <Notice tone="danger">{words("message.error")}</Notice>;
  return <iframe ref={frame} src={src} title={title} sandbox={SANDBOX} onLoad={loaded} className="block w-full" style={{ height }} />;
}
