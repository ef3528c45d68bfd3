/** Encodes a notification for a terminal. Pure; the text must be sanitised and one line. */

export type NotificationMethod = 'auto' | 'osc9' | 'osc777' | 'bell';

export function notification(
  text: string,
  method: NotificationMethod,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  switch (method === 'auto' ? choose(environment) : method) {
    case 'osc9':
      return `\x1b]9;${text}\x07`;
    case 'osc777':
      return `\x1b]777;notify;Castor;${text.replaceAll(';', ',')}\x07`;
    case 'bell':
      return '\x07';
  }
}

function choose({
  TERM = '',
  TERM_PROGRAM = '',
  VTE_VERSION,
}: Readonly<Record<string, string | undefined>>): Exclude<NotificationMethod, 'auto'> {
  if (/iTerm|WezTerm|ghostty/i.test(TERM_PROGRAM) || /kitty|ghostty/.test(TERM)) return 'osc9';
  return VTE_VERSION === undefined && !/rxvt/.test(TERM) ? 'bell' : 'osc777';
}
