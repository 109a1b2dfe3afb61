/** What a dialog is made of; loaded when the first one opens, by Sheet.tsx. */
import { Dialog } from "radix-ui";
import { X } from "lucide-react";
import type { ReactNode } from "react";

import { IconButton } from "./Button";

export interface SheetProps {
  title: string;
  closeLabel: string;
  onClose: () => void;
  side?: "middle" | "wide" | "left";
  children: ReactNode;
}

const places = {
  middle:
    "left-1/2 top-1/2 w-[min(26rem,calc(100vw-2rem))] max-h-[calc(100dvh-4rem)] -translate-x-1/2 -translate-y-1/2 rounded-l border p-4",
  wide: "left-1/2 top-1/2 w-[min(48rem,calc(100vw-2rem))] max-h-[calc(100dvh-4rem)] -translate-x-1/2 -translate-y-1/2 rounded-l border p-4",
  left: "inset-y-0 left-0 w-72 max-w-[85vw] border-r p-2",
} as const;

export default function SheetParts({ title, closeLabel, onClose, side = "middle", children }: SheetProps) {
  return (
    <Dialog.Root open onOpenChange={onClose}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-20 bg-[rgb(0_0_0/0.32)]" />
        <Dialog.Content
          aria-describedby={undefined}
          className={`scroll fixed z-20 overflow-y-auto border-line bg-bg ${places[side]}`}
        >
          <div className="mb-2 flex items-center justify-between pl-2">
            <Dialog.Title className="text-14 font-semibold">{title}</Dialog.Title>
            <Dialog.Close asChild>
              <IconButton icon={X} label={closeLabel} />
            </Dialog.Close>
          </div>
          {children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
