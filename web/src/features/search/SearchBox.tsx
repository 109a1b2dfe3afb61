/** The search field: `/` brings the focus here, Enter searches, Esc leaves. */
import { Search, X } from "lucide-react";
import { type FormEvent, useRef, useState } from "react";
import { useLocation } from "wouter";

import { type View, viewPath } from "@/api/view";
import { IconButton } from "@/ui/Button";
import { useWords } from "@/ui/i18n";
import { useKeys } from "@/ui/keyboard";

export function SearchBox({ view }: { view: View | null }) {
  const words = useWords();
  const [, go] = useLocation();
  const field = useRef<HTMLInputElement>(null);
  const searched = view?.kind === "search" ? view.q : "";
  const [typed, setTyped] = useState(searched);
  const [shown, setShown] = useState(searched);
  if (shown !== searched) {
    setShown(searched);
    setTyped(searched);
  }
  useKeys({
    "/": () => {
      field.current?.focus();
      field.current?.select();
    },
  });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const q = typed.trim();
    go(q === "" ? "/mail" : viewPath({ kind: "search", q }));
    field.current?.blur();
  };

  return (
    <form role="search" onSubmit={submit} className="relative min-w-0 flex-1 md:max-w-[552px]">
      <Search size={15} aria-hidden className="pointer-events-none absolute top-1/2 left-3 -translate-y-1/2 text-text2" />
      <input
        ref={field}
        type="search"
        name="q"
        aria-label={words("search.label")}
        placeholder={words("search.label")}
        autoComplete="off"
        enterKeyHint="search"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") field.current?.blur();
        }}
        className="peer h-8 w-full rounded-m border border-line bg-surface pr-10 pl-8.5 text-14 transition-colors hover:border-input focus-visible:outline-offset-0 max-md:h-11 max-md:text-16 [&::-webkit-search-cancel-button]:hidden"
      />
      {typed === "" ? (
        <kbd className="pointer-events-none absolute top-1/2 right-2.5 -translate-y-1/2 rounded-s border border-line px-1.5 font-sans text-11 text-text3 peer-focus:hidden max-md:hidden">
          /
        </kbd>
      ) : (
        <IconButton
          icon={X}
          label={words("search.clear")}
          className="absolute top-1/2 right-0 -translate-y-1/2"
          onClick={() => {
            setTyped("");
            if (searched !== "") go("/mail");
            field.current?.focus();
          }}
        />
      )}
    </form>
  );
}
