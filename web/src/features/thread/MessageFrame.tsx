/** A mail's HTML in a sandboxed frame: a document of its own, with its own headers (web.md §2), no script, ever. */
import { useEffect, useRef, useState } from "react";

import { frameAddress } from "@/api/addresses";
import type { Message } from "@/api/schema";
import { classes } from "@/ui/classes";
import { useWords } from "@/ui/i18n";
import { forwardKeys } from "@/ui/keyboard";
import { Notice } from "@/ui/Notice";
import { useShownTheme } from "@/ui/theme";

import { fitHeight } from "./fitHeight";
import { useNear } from "./useNear";

const SANDBOX = "allow-same-origin allow-popups allow-popups-to-escape-sandbox";
const FIRST_GUESS = 96;

/** The last known height of each body, so that opening a conversation again does not jump. */
const heights = new Map<string, number>();

export function MessageFrame({ message, remote, title }: { message: Message; remote: boolean; title: string }) {
  const theme = useShownTheme();
  const place = useRef<HTMLDivElement>(null);
  const near = useNear(place);
  const [height, setHeight] = useState(heights.get(message.id) ?? FIRST_GUESS);

  return (
    <div
      ref={place}
      className={classes("overflow-hidden", message.designed ? "mx-1 ml-13 rounded-m bg-white max-md:ml-1" : "pr-4 pl-15 max-md:pl-4")}
      style={{ minHeight: near ? undefined : height }}
    >
      {near && (
        <Frame
          key={`${theme}${remote}`}
          src={frameAddress(message, theme, remote)}
          title={title}
          height={height}
          onHeight={(next) => {
            heights.set(message.id, next);
            setHeight(next);
          }}
        />
      )}
    </div>
  );
}

interface FrameProps {
  src: string;
  title: string;
  height: number;
  onHeight: (height: number) => void;
}

function Frame({ src, title, height, onHeight }: FrameProps) {
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
