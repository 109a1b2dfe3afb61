/** Sizes as people read them, in the language's own figures. */
const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;

export function bytesIn(locale: string): (size: number) => string {
  return (size) => {
    let value = size;
    let step = 0;
    while (value >= 999.5 && step < UNITS.length - 1) {
      value /= 1000;
      step += 1;
    }
    const maximumFractionDigits = step > 0 && value < 10 ? 1 : 0;
    const unit = UNITS[step] ?? "byte";
    return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "short", maximumFractionDigits }).format(value);
  };
}
