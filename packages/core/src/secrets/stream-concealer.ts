/**
 * StreamConcealer: conceals text that arrives in pieces. It holds back the end of a piece that may be the beginning of a
 * secret until the rest has arrived; all other text passes at once.
 */

const PREFIXES =
  `gh github_pat_ gl AKIA ASIA ABIA ACCA AIza ya29. GOCSPX- sk- sk_ rk_ xox xapp- npm_ pypi- whsec_ SG. hf_ do
  dckr_pat_ gsk_ shp hvs. hvb. lin_api_ AGE-SECRET-KEY-1 eyJ`.split(/\s+/);
const LAST_WORD = /[A-Za-z0-9_.:/@+=~%!-]*$/;
const OPEN_BLOCK =
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?![\s\S]*-----END [A-Z ]{0,40}PRIVATE KEY-----)[A-Za-z0-9+/=\s:,.-]*$/;
const OPEN_HEAD = /-{1,5}(?:B(?:E(?:G(?:I(?:N[A-Z ]{0,60}-{0,5})?)?)?)?)?$/;
const OPEN_ADDRESS =
  /(?:https?|ftps?|ssh|git|wss?|postgres(?:ql)?|mysql|mariadb|rediss?|mongodb(?:\+srv)?|amqps?|smtps?|socks5h?|mssql):\/?$/;
/** A longer word is no secret of ours, and a longer block is passed on piece by piece. */
const MAX_HELD = 16_384;

export class StreamConcealer {
  private held = '';
  private readonly conceal: (text: string) => string;

  constructor(conceal: (text: string) => string) {
    this.conceal = conceal;
  }

  /** What may be shown now. */
  add(piece: string): string {
    const text = this.held + piece;
    const from = text.length - heldLength(text);
    this.held = text.slice(from);
    return this.conceal(text.slice(0, from));
  }

  /** The rest, when no more arrives. */
  end(): string {
    const rest = this.held;
    this.held = '';
    return rest === '' ? '' : this.conceal(rest);
  }
}

function heldLength(text: string): number {
  const tail = text.length > MAX_HELD ? text.slice(-MAX_HELD) : text;
  const block = tail.includes('-----BEGIN') ? OPEN_BLOCK.exec(tail) : null;
  if (block) return block[0].length;
  if (tail.endsWith(' KEY-----')) return 0;
  const head = OPEN_HEAD.exec(tail.slice(-80))?.[0].length ?? 0;
  const word = LAST_WORD.exec(tail)?.[0] ?? '';
  const isOpen = word !== '' && word.length < MAX_HELD && mayBegin(word);
  return isOpen ? Math.max(head, word.length) : head;
}

function mayBegin(word: string): boolean {
  if (word.includes('://') || OPEN_ADDRESS.test(word)) return true;
  // The secret may follow a name: `token=ghp_…`.
  const starts = [word, ...word.split(/[=:/@+~%!]/).slice(1)];
  return starts.some(
    (start) => start !== '' && PREFIXES.some((prefix) => prefix.startsWith(start) || start.startsWith(prefix)),
  );
}
