/** An administrator lets somebody in. */
import { useMutation } from "@tanstack/react-query";

import type { ApiError } from "@/api/errors";
import { invite } from "@/api/identity";
import { Button } from "@/ui/Button";
import { Field } from "@/ui/Field";
import { useDates, useWords } from "@/ui/i18n";
import { explain } from "@/ui/i18n/errors";
import { Notice } from "@/ui/Notice";

import { Card } from "./Card";

export function Invite() {
  const words = useWords();
  const dates = useDates();
  const inviting = useMutation<Awaited<ReturnType<typeof invite>>, ApiError>({ mutationFn: invite });
  const made = inviting.data;
  return (
    <Card title={words("settings.invite")} text={words("settings.invite_text")}>
      {made !== undefined && (
        <Field
          label={words("settings.invite_link")}
          hint={words("settings.invite_until", { when: dates.usual(made.expires_at) })}
          readOnly
          value={`${globalThis.location.origin}${made.path}`}
          onFocus={({ target }) => target.select()}
        />
      )}
      {inviting.error !== null && <Notice tone="danger">{explain(words, inviting.error)}</Notice>}
      <Button className="self-start" disabled={inviting.isPending} onClick={() => inviting.mutate()}>
        {words("settings.invite_make")}
      </Button>
    </Card>
  );
}
