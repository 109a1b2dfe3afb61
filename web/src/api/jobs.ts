/** Jobs that act on all that a list holds: begun, looked at, stopped, taken back. */
import { queryOptions } from "@tanstack/react-query";

import { ask, client } from "./client";
import type { components } from "./schema.gen";

export type Job = components["schemas"]["Job"];
export type EverythingWish = components["schemas"]["EverythingWish"];

/** While one is under way they are looked at again: they tell nothing of themselves. */
export const jobs = queryOptions({
  queryKey: ["jobs"],
  queryFn: async ({ signal }) => (await ask(client.GET("/api/actions/jobs", { signal }))).jobs,
  refetchInterval: ({ state }) => (state.data?.some(({ settled }) => !settled) === true ? 1_000 : false),
});

/** Done once, however often it is sent with the same key. */
export const actOnEverything = async (wish: EverythingWish, key: string) =>
  ask(client.POST("/api/actions/everything", { params: { header: { "Idempotency-Key": key } }, body: wish }));

export const cancelJob = async (id: string) => ask(client.POST("/api/actions/jobs/{job_id}/cancel", { params: { path: { job_id: id } } }));

export const undoJob = async (id: string) => ask(client.POST("/api/actions/jobs/{job_id}/undo", { params: { path: { job_id: id } } }));
