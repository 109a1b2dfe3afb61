/** Where the reader was in each list, for coming back to it. */
import { type View, viewPath } from "@/api/view";

export interface Place {
  offset: number;
  cursor: number;
}

const places = new Map<string, Place>();

export function placeIn(view: View): Place {
  return places.get(viewPath(view)) ?? { offset: 0, cursor: 0 };
}

export function keepPlace(view: View, place: Partial<Place>): void {
  places.set(viewPath(view), { ...placeIn(view), ...place });
}
