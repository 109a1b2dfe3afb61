/** A menu behind a button. Its parts come after the first paint; a click before that is kept and opens it then. */
import { cloneElement, lazy, type ReactElement, type ReactNode, Suspense, useState } from "react";

const parts = async () => import("./MenuParts");
const MenuRoot = lazy(async () => ({ default: (await parts()).MenuRoot }));

export const MenuItem = lazy(async () => ({ default: (await parts()).MenuItem }));
export const MenuLink = lazy(async () => ({ default: (await parts()).MenuLink }));
export const MenuLine = lazy(async () => ({ default: (await parts()).MenuLine }));
export const MenuNote = lazy(async () => ({ default: (await parts()).MenuNote }));

interface MenuProps {
  trigger: ReactElement<{ onClick?: () => void }>;
  children: ReactNode;
}

export function Menu({ trigger, children }: MenuProps) {
  const [wanted, setWanted] = useState(false);
  return (
    <Suspense fallback={cloneElement(trigger, { onClick: () => setWanted(true) })}>
      <MenuRoot trigger={trigger} defaultOpen={wanted}>
        <Suspense>{children}</Suspense>
      </MenuRoot>
    </Suspense>
  );
}
