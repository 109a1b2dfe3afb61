/** Confirming a recovery address: by a person who presses, not by whatever opens links in mail beforehand. */
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";

import type { ApiError } from "@/api/errors";
import { verifyRecovery } from "@/api/identity";
import { Button } from "@/ui/Button";
import { useWords } from "@/ui/i18n";
import { explain } from "@/ui/i18n/errors";
import { Notice } from "@/ui/Notice";

import { Frame } from "./Frame";
import { linkToken } from "./linkToken";

export function VerifyPage() {
  const words = useWords();
  const [token] = useState(linkToken);
  const verifying = useMutation<unknown, ApiError, string>({ mutationFn: verifyRecovery });
  return (
    <Frame title={words("session.verify")}>
      {verifying.isSuccess ? (
        <>
          <p role="status">{words("session.verified")}</p>
          <p className="mt-5 text-13">
            <Link href="/mail" className="font-semibold text-accent hover:underline">
              {words("session.go_on")}
            </Link>
          </p>
        </>
      ) : (
        <div className="flex flex-col gap-4">
          <p className="text-13 text-text2">{words("session.verify_text")}</p>
          {verifying.error !== null && <Notice tone="danger">{explain(words, verifying.error)}</Notice>}
          <Button look="primary" disabled={verifying.isPending} className="h-10" onClick={() => verifying.mutate(token)}>
            {words("session.verify_yes")}
          </Button>
        </div>
      )}
    </Frame>
  );
}
