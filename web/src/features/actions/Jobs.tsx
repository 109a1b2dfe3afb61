/** What acts on very much mail: how far it is, with a way to stop it and a way back. It is there again after a reload. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useState } from "react";

import { ApiError } from "@/api/errors";
import { cancelJob, type Job, jobs as jobsQuery, undoJob } from "@/api/jobs";
import { IconButton } from "@/ui/Button";
import { type Words, useWords } from "@/ui/i18n";
import { explain } from "@/ui/i18n/errors";
import { Progress } from "@/ui/Notice";
import { useToast } from "@/ui/Toast";

/** Seconds that a refusal stays. */
const REFUSAL = 30;
const NONE: ReadonlySet<string> = new Set();

export function Jobs() {
  const words = useWords();
  const { data = [] } = useQuery(jobsQuery);
  const [seen, setSeen] = useState(NONE);
  const [closed, setClosed] = useState(NONE);
  // Of what was done before this page was opened nobody needs to be told.
  const fresh = data.filter(({ id, settled }) => !settled && !seen.has(id));
  if (fresh.length > 0) setSeen(new Set([...seen, ...fresh.map(({ id }) => id)]));
  const shown = data.filter(({ id }) => seen.has(id) && !closed.has(id));
  return (
    <section aria-label={words("job.label")} className="pointer-events-none fixed bottom-4 left-4 z-20 flex w-80 max-w-[calc(100vw-2rem)] flex-col gap-2 max-md:bottom-18">
      {shown.map((job) => (
        <JobItem key={job.id} job={job} onClose={() => setClosed(new Set([...closed, job.id]))} />
      ))}
    </section>
  );
}

function JobItem({ job, onClose }: { job: Job; onClose: () => void }) {
  const words = useWords();
  const cache = useQueryClient();
  const toast = useToast();
  const change = useMutation({
    mutationFn: async (ask: (id: string) => Promise<Job>) => ask(job.id),
    onSuccess: async () => cache.invalidateQueries({ queryKey: jobsQuery.queryKey }),
    onError: (error) => {
      const text = error instanceof ApiError ? explain(words, error) : words("error.unexpected");
      toast({ text, tone: "danger", seconds: REFUSAL });
    },
  });
  const undo = async (id: string) => {
    const begun = await undoJob(id);
    onClose();
    return begun;
  };
  const button = job.settled
    ? job.undoable && { label: words("act.undo"), run: () => change.mutate(undo) }
    : job.state === "running" && { label: words("job.cancel"), run: () => change.mutate(cancelJob) };
  return (
    <div className="pointer-events-auto rounded-l border border-line bg-raised py-2 pr-1 pl-4 text-13 shadow-[0_8px_24px_rgb(0_0_0/0.16)]">
      <div className="flex items-center gap-2">
        <div role={job.settled ? "status" : undefined} className="min-w-0 flex-1">
          <p className="font-semibold">{title(words, job)}</p>
          <p className={job.settled && job.refused > 0 ? "text-danger" : "text-text2"}>{told(words, job)}</p>
        </div>
        {button !== false && (
          <button
            type="button"
            disabled={change.isPending}
            className="target h-8 shrink-0 rounded-m px-2.5 font-semibold text-accent hover:bg-hover disabled:opacity-60"
            onClick={button.run}
          >
            {button.label}
          </button>
        )}
        {job.settled && <IconButton icon={X} label={words("app.close")} onClick={onClose} />}
      </div>
      {!job.settled && (
        <div className="pt-2 pr-3 pb-1">
          <Progress value={job.done + job.refused} total={job.total} label={title(words, job)} />
        </div>
      )}
    </div>
  );
}

function title(words: Words, { action }: Job): string {
  if (action === "undo") return words("act.undo");
  return action === "flags" ? words("job.flags") : words(`act.verb.${action}`);
}

function told(words: Words, { state, settled, total, done, refused, reason }: Job): string {
  if (!settled) return words(state === "cancelled" ? "job.stopping" : "job.running", { done: done + refused, count: total });
  const what = words(state === "cancelled" ? "job.cancelled" : "job.done", { count: done });
  return refused > 0 ? `${what} ${words("job.refused", { count: refused, why: reason })}` : what;
}
