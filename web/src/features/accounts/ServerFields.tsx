/** Host, port and security of one server. */
import type { Server } from "@/api/schema";
import { Choice, Field } from "@/ui/Field";
import { useWords } from "@/ui/i18n";

export interface ServerDraft {
  host: string;
  port: string;
  tls: Server["tls"];
}

type Kind = "imap" | "smtp";

const PORTS: Record<Kind, Record<Server["tls"], string>> = {
  imap: { ssl: "993", starttls: "143", none: "143" },
  smtp: { ssl: "465", starttls: "587", none: "25" },
};

/** The usual names: a first guess that the reader can change. */
export function guess(kind: Kind, email: string): ServerDraft {
  const domain = email.split("@")[1]?.trim() ?? "";
  return { host: domain === "" ? "" : `${kind}.${domain}`, port: PORTS[kind].ssl, tls: "ssl" };
}

interface ServerFieldsProps {
  kind: Kind;
  legend: string;
  draft: ServerDraft;
  onChange: (draft: ServerDraft) => void;
}

export function ServerFields({ kind, legend, draft, onChange }: ServerFieldsProps) {
  const words = useWords();
  /** A port that was the usual one follows the choice of security. */
  const secure = (tls: Server["tls"]) =>
    onChange({ ...draft, tls, port: draft.port === PORTS[kind][draft.tls] ? PORTS[kind][tls] : draft.port });

  return (
    <fieldset>
      <legend className="mb-2 text-14 font-semibold">{legend}</legend>
      <div className="grid grid-cols-[1fr_5.5rem_9rem] gap-2 max-md:grid-cols-2">
        <Field
          className="max-md:col-span-2"
          label={words("accounts.host")}
          autoCapitalize="none"
          spellCheck={false}
          required
          value={draft.host}
          onChange={(event) => onChange({ ...draft, host: event.target.value })}
        />
        <Field
          label={words("accounts.port")}
          inputMode="numeric"
          pattern="[0-9]{1,5}"
          required
          value={draft.port}
          onChange={(event) => onChange({ ...draft, port: event.target.value })}
        />
        <Choice
          label={words("accounts.tls")}
          value={draft.tls}
          options={[
            ["ssl", words("accounts.tls_ssl")],
            ["starttls", words("accounts.tls_starttls")],
            ["none", words("accounts.tls_none")],
          ]}
          onChange={secure}
        />
      </div>
    </fieldset>
  );
}
