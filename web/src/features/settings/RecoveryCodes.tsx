/** Codes for whoever loses the app: shown once. */
import { Button } from "@/ui/Button";
import { useWords } from "@/ui/i18n";
import { Notice } from "@/ui/Notice";

export function RecoveryCodes({ codes, onDone }: { codes: string[]; onDone: () => void }) {
  const words = useWords();
  return (
    <div className="flex flex-col gap-3">
      <Notice tone="warn">{words("security.codes_text")}</Notice>
      <ul aria-label={words("security.codes")} className="grid grid-cols-2 gap-x-6 gap-y-1 self-start tabular-nums max-md:grid-cols-1">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="flex gap-2">
        <Button onClick={() => void navigator.clipboard.writeText(codes.join("\n"))}>{words("security.copy")}</Button>
        <Button look="primary" onClick={onDone}>
          {words("security.codes_kept")}
        </Button>
      </div>
    </div>
  );
}
