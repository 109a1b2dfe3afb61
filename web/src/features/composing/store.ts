/** A value that can be watched, for what lives longer than the component that shows it. */
import { useSyncExternalStore } from "react";

export class Watched<Value> {
  private readonly listeners = new Set<() => void>();

  constructor(private value: Value) {}

  readonly get = (): Value => this.value;

  readonly watch = (changed: () => void): (() => void) => {
    this.listeners.add(changed);
    return () => this.listeners.delete(changed);
  };

  set(value: Value): void {
    this.value = value;
    for (const changed of this.listeners) changed();
  }
}

export function useWatched<Value>(watched: Watched<Value>): Value {
  return useSyncExternalStore(watched.watch, watched.get);
}
