/** Signing in at the account's own provider: the browser goes there, and comes back to the wizard with what came of it. */
import { useMutation, useQuery } from "@tanstack/react-query";

import { beginSignIn } from "@/api/commands";
import type { ApiError } from "@/api/errors";
import { config } from "@/api/queries";
import type { NewSignIn } from "@/api/schema";
import type { Candidate } from "@/api/wizard";
import { Button } from "@/ui/Button";
import { useWords } from "@/ui/i18n";
import { explain } from "@/ui/i18n/errors";
import { Notice } from "@/ui/Notice";

export type Provider = NewSignIn["provider"];

const DOORS: Partial<Record<string, Provider>> = { "oauth:google": "google", "oauth:microsoft": "microsoft" };

export function SignIn({ wish, look = "primary" }: { wish: NewSignIn; look?: "primary" | "plain" }) {
  const words = useWords();
  const leaving = useMutation<string, ApiError>({
    mutationFn: async () => beginSignIn(wish),
    onSuccess: (url) => window.location.assign(url),
  });
  return (
    <div className="flex flex-col items-start gap-2">
      <Button look={look} disabled={leaving.isPending} onClick={() => leaving.mutate()}>
        {words(`wizard.sign_in.${wish.provider}`)}
      </Button>
      {leaving.error !== null && <Notice tone="danger">{explain(words, leaving.error)}</Notice>}
    </div>
  );
}

export const doorOf = (auth: string): Provider | undefined => DOORS[auth];

/** The provider's door, if it has one and this installation is known there. */
export function useDoor(candidate: Candidate | undefined): Provider | undefined {
  const doors = (candidate?.auth ?? []).map(doorOf);
  const open = useQuery({ ...config, enabled: doors.some((door) => door !== undefined) }).data?.oauth ?? [];
  return doors.find((door) => door !== undefined && open.includes(door));
}
