/** The mailboxes where mail has arrived since that was last asked. */
const arrived = new Set<string>();

export function noteArrival(mailbox: string): void {
  arrived.add(mailbox);
}

/** Forgets them, for the next time. */
export function takeArrivals(): ReadonlySet<string> {
  const taken = new Set(arrived);
  arrived.clear();
  return taken;
}
