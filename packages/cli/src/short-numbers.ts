/** Numbers as the screen shows them: `0.4 s`, `12 s`, `5m 38s`; `950`, `36.6k`, `1.2M`; `$0.02`, `$0.004`. Pure. */

const [MINUTE, HOUR] = [60, 3_600];

export function shortDuration(ms: number): string {
  const seconds = ms / 1_000;
  if (seconds < 9.95) return `${(Math.round(seconds * 10) / 10).toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < MINUTE) return `${whole} s`;
  if (whole < HOUR) return `${Math.floor(whole / MINUTE)}m ${pad(whole % MINUTE)}s`;
  return `${Math.floor(whole / HOUR)}h ${pad(Math.floor((whole % HOUR) / MINUTE))}m`;
}

export function shortCount(count: number): string {
  if (count < 1_000) return String(Math.round(count));
  if (count < 99_950) return `${(count / 1_000).toFixed(1)}k`;
  if (count < 999_500) return `${Math.round(count / 1_000)}k`;
  return `${(count / 1_000_000).toFixed(count < 9_950_000 ? 1 : 0).replace(/\.0$/, '')}M`;
}

export function shortCost(dollars: number): string {
  if (dollars === 0) return '$0';
  return dollars < 0.01 ? `$${Number(dollars.toPrecision(1))}` : `$${dollars.toFixed(2)}`;
}

function pad(number: number): string {
  return String(number).padStart(2, '0');
}
