/** What sync does for an account as a job: waiting, running or failed, with its reason; asked for and cancelled here. */
import { useMutation, useQueryClient } from "@tanstack/react-query";

import { cancelSync, startSync } from "@/api/commands";
import type { ApiError } from "@/api/errors";
import { keys } from "@/api/keys";
import type { Account, SyncJob } from "@/api/schema";
import { Button } from "@/ui/Button";
import { isKey, useDates, useWords } from "@/ui/i18n";
import { explain } from "@/ui/i18n/errors";
import { Notice } from "@/ui/Notice";

export function Jobs({ account }: { account: Account }) {
  const words = useWords();
  const cache = useQueryClient();
  const starting = useMutation<unknown, ApiError>({
    mutationFn: async () => startSync(account.id),
    onSettled: async () => cache.invalidateQueries({ queryKey: keys.accounts }),
  });
  if (account.jobs === null) return <Notice tone="warn">{words("accounts.jobs_unknown")}</Notice>;
  const shown = account.jobs.filter(isTold);
  const busy = shown.some(isActive) || account.state === "reconnect_required";
  return (
    <div className="flex flex-col gap-2">
      {shown.length > 0 && (
        <ul className="flex flex-col gap-2" aria-label={words("accounts.jobs")}>
          {shown.map((job) => (
            <JobItem key={job.id} job={job} />
          ))}
        </ul>
      )}
      {starting.error !== null && <Notice tone="warn">{explain(words, starting.error)}</Notice>}
      {!busy && (
        <div>
          <Button disabled={starting.isPending} onClick={() => starting.mutate()}>
            {words("accounts.check_now")}
          </Button>
        </div>
      )}
    </div>
  );
}

const isActive = (job: SyncJob) => job.state === "queued" || job.state === "running";

/** What has ended well needs no word; the newest failure stays until another job follows. */
function isTold(job: SyncJob, index: number): boolean {
  return isActive(job) || (index === 0 && job.state === "failed");
}

function JobItem({ job }: { job: SyncJob }) {
  const words = useWords();
  const dates = useDates();
  const cache = useQueryClient();
  const cancelling = useMutation<unknown, ApiError>({
    mutationFn: async () => cancelSync(job.id),
    onSettled: async () => cache.invalidateQueries({ queryKey: keys.accounts }),
  });
  const key = `accounts.job_code.${job.code}`;
  const reason = job.code === null ? "" : isKey(key) ? words(key) : job.detail;
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-m bg-bg px-3 py-2 text-13">
      <div className="min-w-0 flex-1">
        <p>
          <span className="font-semibold">{words(`accounts.job.${job.kind}`)}</span>
          {" · "}
          {words(`accounts.job_state.${job.state}`)}
          {job.state === "running" && job.messages > 0 && ` · ${words("accounts.job_messages", { count: job.messages })}`}
          {job.state === "queued" && job.code !== null && ` · ${words("accounts.job_due", { when: dates.brief(job.due_at) })}`}
        </p>
        {reason !== "" && <p className="text-12 text-text2">{reason}</p>}
        {cancelling.error !== null && <p className="text-12 text-danger">{explain(words, cancelling.error)}</p>}
      </div>
      {isActive(job) && (
        <Button disabled={cancelling.isPending} onClick={() => cancelling.mutate()}>
          {words("accounts.cancel")}
        </Button>
      )}
    </li>
  );
}
