/** A mail's HTML in a sandboxed frame: a document of its own, with its own headers (web.md §2), no script, ever. */
import { useRef, useState } from "react";

import { frameAddress } from "@/api/addresses";
import type { Message } from "@/api/schema";
import { classes } from "@/ui/classes";
import { SandboxedFrame } from "@/ui/SandboxedFrame";
import { useShownTheme } from "@/ui/theme";

import { useNear } from "./useNear";

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
        <SandboxedFrame
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
