/** What a menu is made of; loaded after the first paint, by Menu.tsx. */
import { DropdownMenu } from "radix-ui";
import type { ReactNode } from "react";

interface MenuRootProps {
  trigger: ReactNode;
  defaultOpen: boolean;
  children: ReactNode;
}

export function MenuRoot({ trigger, defaultOpen, children }: MenuRootProps) {
  return (
    <DropdownMenu.Root modal={false} defaultOpen={defaultOpen}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={4}
          collisionPadding={8}
          className="z-30 min-w-48 rounded-l border border-line bg-raised p-1 text-13 shadow-[0_8px_24px_rgb(0_0_0/0.12)]"
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

export function MenuItem({ onSelect, children }: { onSelect: () => void; children: ReactNode }) {
  return (
    <DropdownMenu.Item
      onSelect={onSelect}
      className="target flex cursor-pointer items-center gap-2 rounded-m px-2.5 py-1.5 outline-none data-highlighted:bg-hover"
    >
      {children}
    </DropdownMenu.Item>
  );
}

/** `aside`: shown in a tab of its own; otherwise it is saved. */
export function MenuLink({ href, aside = false, children }: { href: string; aside?: boolean; children: ReactNode }) {
  return (
    <DropdownMenu.Item asChild>
      <a
        href={href}
        {...(aside ? { target: "_blank", rel: "noopener noreferrer" } : { download: true })}
        className="target flex items-center gap-2 rounded-m px-2.5 py-1.5 outline-none data-highlighted:bg-hover"
      >
        {children}
      </a>
    </DropdownMenu.Item>
  );
}

export function MenuLine() {
  return <DropdownMenu.Separator className="my-1 h-px bg-line" />;
}

export function MenuNote({ children }: { children: ReactNode }) {
  return <DropdownMenu.Label className="max-w-72 truncate px-2.5 py-1.5 text-12 text-text3">{children}</DropdownMenu.Label>;
}
