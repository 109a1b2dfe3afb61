/** No page has this address. */
import { Compass } from "lucide-react";
import { Link } from "wouter";

import { useWords } from "@/ui/i18n";
import { Empty } from "@/ui/Notice";

export function NotFound() {
  const words = useWords();
  return (
    <Empty icon={Compass} title={words("app.not_found")}>
      <Link href="/mail" className="target inline-flex items-center text-13 font-semibold text-accent hover:underline">
        {words("app.to_mail")}
      </Link>
    </Empty>
  );
}
