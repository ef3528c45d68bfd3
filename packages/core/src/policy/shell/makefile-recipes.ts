/**
 * Reads the recipes that `make` or `just` would run for given goals, as shell text. It
 * follows what a rule depends on inside one file; conditions, functions and included files
 * are not evaluated.
 */

interface Rule {
  targets: readonly string[];
  needs: readonly string[];
  lines: string[];
}

/** The shell text for the goals; for the first rule when there are none, for all rules when a goal is not found. */
export function recipesFor(makefile: string, goals: readonly string[]): string {
  const variables = new Map<string, string>([['MAKE', 'make']]);
  const rules = readRules(makefile, variables);
  const first = rules.find(({ targets }) => targets.some((target) => !target.startsWith('.') || target.includes('/')));
  const wanted = [...(goals.length > 0 ? goals : (first?.targets ?? []))];
  if (!wanted.every((goal) => rules.some(({ targets }) => targets.includes(goal)))) return textOf(rules, variables);
  const reached = new Set<Rule>();
  for (let goal = wanted.pop(); goal !== undefined; goal = wanted.pop()) {
    for (const rule of rules) {
      if (reached.has(rule) || !rule.targets.includes(goal)) continue;
      reached.add(rule);
      wanted.push(...rule.needs);
    }
  }
  return textOf(
    rules.filter((rule) => reached.has(rule)),
    variables,
  );
}

const ASSIGNMENT = /^(?:export\s+|override\s+)?([\w.-]+)\s*(?::{0,3}=|\?=|\+=)\s*(.*)$/;
/** In a justfile a recipe may have parameters before its colon. */
const HEAD = /^@?([^\s#:=][^:=#]*?)\s*(?:[\w*+$-]+=(?:"[^"]*"|'[^']*'|\S+)\s*)*&?::?(?!=)\s*([^;]*)(?:;(.*))?$/;

function readRules(makefile: string, variables: Map<string, string>): Rule[] {
  const rules: Rule[] = [];
  for (const line of makefile.replaceAll(/\\\r?\n[ \t]*/g, ' ').split('\n')) {
    const rule = rules.at(-1);
    if (/^[ \t]+\S/.test(line) && rule !== undefined) {
      rule.lines.push(line.trim());
      continue;
    }
    const [, name, value] = ASSIGNMENT.exec(line) ?? [];
    if (name !== undefined) {
      variables.set(name, value ?? '');
      continue;
    }
    const [, heads, needs = '', recipe] = HEAD.exec(line) ?? [];
    if (heads === undefined) continue;
    const expanded = (text: string) => expand(text, variables).split(/\s+/).filter(Boolean);
    rules.push({
      targets: expanded(heads),
      needs: expanded(needs),
      lines: recipe === undefined ? [] : [recipe.trim()],
    });
  }
  return rules;
}

/** Each line is a command of its own; a mark of make at its start is none. */
function textOf(rules: readonly Rule[], variables: ReadonlyMap<string, string>): string {
  return rules
    .flatMap(({ targets, needs, lines }) =>
      lines.map((line) => {
        const own = new Map([...variables, ['@', targets[0] ?? ''], ['<', needs[0] ?? ''], ['^', needs.join(' ')]]);
        return expand(line.replace(/^[@+-]+\s*/, ''), own);
      }),
    )
    .join('\n');
}

/** `$(NAME)`, `${NAME}` and `$@` by value, where the file sets it; `$$` is the shell's own sign. */
function expand(text: string, variables: ReadonlyMap<string, string>, depth = 0): string {
  return text.replaceAll(
    /\$(?:(\$)|\(shell ((?:[^()]|\([^()]*\))*)\)|\(([\w.-]+)\)|\{([\w.-]+)\}|([@<^]))/g,
    (whole, dollar: string | undefined, shell: string | undefined, round: string, curly: string, sign: string) => {
      if (dollar !== undefined) return '$';
      if (shell !== undefined) return `$(${shell})`;
      const name = round ?? curly ?? sign;
      const value = variables.get(name);
      if (value === undefined) return whole.startsWith('$(') ? `\${${name.replaceAll(/\W/g, '_')}}` : whole;
      return depth < MAX_DEPTH ? expand(value, variables, depth + 1) : value;
    },
  );
}

const MAX_DEPTH = 8;
