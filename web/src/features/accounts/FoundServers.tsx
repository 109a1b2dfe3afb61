/** The servers that were found, to be looked at; "Edit settings" opens them. */
import { useWords } from "@/ui/i18n";

import type { Draft } from "./draft";
import type { ServerDraft } from "./ServerFields";

export function FoundServers({ draft }: { draft: Draft }) {
  const words = useWords();
  return (
    <dl className="flex flex-col gap-2 text-13">
      <Server label={words("wizard.incoming")} server={draft.imap} />
      {draft.sends && <Server label={words("wizard.outgoing")} server={draft.smtp} />}
    </dl>
  );
}

const TLS = { ssl: "accounts.tls_ssl", starttls: "accounts.tls_starttls", none: "accounts.tls_none" } as const;
const box = "flex h-[34px] items-center truncate rounded-m border border-line bg-bg px-2.5";

function Server({ label, server }: { label: string; server: ServerDraft }) {
  const words = useWords();
  return (
    <div className="grid grid-cols-[4.375rem_1fr_4rem_6.5rem] items-center gap-2 max-md:grid-cols-[1fr_4rem_6.5rem]">
      <dt className="font-semibold max-md:col-span-3">{label}</dt>
      <dd className={box}>{server.host}</dd>
      <dd className={`${box} tabular-nums`}>{server.port}</dd>
      <dd className={box}>{words(TLS[server.tls])}</dd>
    </div>
  );
}
