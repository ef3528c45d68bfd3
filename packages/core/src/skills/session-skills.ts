/**
 * SessionSkills: the skills of one session, which of them are disabled and which were activated. Activating one makes
 * its folder readable, never writable. A resumed session has the skills its history activated.
 */

import { replacePathVariables } from '../config/path-variables.ts';
import type { Content, Part } from '../protocol/content.ts';
import { ToolError } from '../protocol/errors.ts';
import type { SourceValues } from '../protocol/source.ts';
import type { Workspace } from '../tools/files/workspace.ts';
import { describeSkills } from './describe-skills.ts';
import { loadSkills } from './load-skills.ts';
import { readSkill } from './read-skill.ts';
import type { LoadedSkills, Skill, SkillFolder } from './skill.ts';
import { activatedNames, describeResources, toActivatedText } from './skill-text.ts';

export interface SessionSkillsOptions {
  readonly home: string;
  readonly workspace: Pick<Workspace, 'addReadOnlyDirectory' | 'root'>;
  /** The values of settings that skills of extensions may name. */
  readonly shownValues?: SourceValues | undefined;
  /** Reads the places again. */
  readonly findFolders: () => readonly SkillFolder[];
  /** The names in `skills.disabled`, in any case. */
  readonly disabled: readonly string[];
}

export interface ActivatedSkill {
  readonly skill: Skill;
  /** For the model. */
  readonly text: string;
  /** For the user: the folder and its files. */
  readonly tree: string;
}

export interface SkillsChange {
  readonly added: number;
  readonly removed: number;
}

export class SessionSkills {
  private readonly options: SessionSkillsOptions;
  private disabled: ReadonlySet<string>;
  private loaded: LoadedSkills = { skills: [], problems: [], conflicts: [] };
  private readonly activated = new Set<string>();
  private readonly followers = new Set<() => Promise<void>>();

  private constructor(options: SessionSkillsOptions) {
    this.options = options;
    this.disabled = toKeys(options.disabled);
  }

  static async open(options: SessionSkillsOptions): Promise<SessionSkills> {
    const skills = new SessionSkills(options);
    await skills.load();
    return skills;
  }

  /** All that were found, disabled ones too. */
  get all(): readonly Skill[] {
    return this.loaded.skills;
  }

  /** What the model may activate. */
  get offered(): readonly Skill[] {
    return this.enabled.filter(({ isUserOnly }) => isUserOnly !== true);
  }

  /** What the user may activate. */
  get enabled(): readonly Skill[] {
    return this.loaded.skills.filter((skill) => !this.isDisabled(skill));
  }

  get problems(): readonly string[] {
    return this.loaded.problems;
  }

  get conflicts(): readonly string[] {
    return this.loaded.conflicts;
  }

  get activeNames(): readonly string[] {
    return [...this.activated];
  }

  isDisabled({ name }: Pick<Skill, 'name'>): boolean {
    return this.disabled.has(name.toLowerCase());
  }

  /** The section of the system instruction. */
  describe(options: { isCompact: boolean; mentionsActive: boolean }): string {
    const active = options.mentionsActive ? this.activeNames : [];
    return describeSkills(this.offered, { active, isCompact: options.isCompact });
  }

  /** Calls back when the list changed. */
  follow(follower: () => Promise<void>): void {
    this.followers.add(follower);
  }

  /** Reads the folders again; the settings may have changed as well. */
  async reload(disabled: readonly string[] = [...this.disabled]): Promise<SkillsChange> {
    const before = this.enabled.map(({ name }) => name);
    this.disabled = toKeys(disabled);
    await this.load();
    const after = this.enabled.map(({ name }) => name);
    for (const follower of this.followers) await follower();
    return { added: countNew(after, before), removed: countNew(before, after) };
  }

  find(name: string): Skill | undefined {
    const key = name.trim().toLowerCase();
    return this.enabled.find((skill) => skill.name.toLowerCase() === key);
  }

  /** Throws ToolError for an unknown skill and for one that became invalid. */
  async activate(name: string): Promise<ActivatedSkill> {
    const skill = this.find(name);
    if (!skill) throw this.unknown(name);
    const read = await readSkill(skill);
    if (typeof read === 'string') throw new ToolError(read, 'execution_failed');
    const tree = await describeResources(skill.directory);
    this.open(skill);
    return { skill, text: toActivatedText(skill, this.fillIn(read.body, skill), tree), tree };
  }

  /** Makes readable again what the history of a resumed session activated. */
  restore(history: readonly Content[]): void {
    for (const { role, parts = [] } of history) {
      if (role !== 'user') continue;
      for (const name of parts.flatMap(namesOf)) {
        const skill = this.find(name);
        if (skill) this.open(skill);
      }
    }
  }

  unknown(name: string): ToolError {
    const names = this.offered.map((skill) => skill.name);
    const shown = names.slice(0, MOST_NAMED);
    const left = names.length - shown.length;
    const list = `${shown.join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
    return new ToolError(
      `Skill ${JSON.stringify(name.slice(0, 100).toWellFormed())} not found. Available skills are: ${list}`,
      'invalid_tool_params',
    );
  }

  /** Variables of an extension, as in its manifest. Other skills are text as it is. */
  private fillIn(body: string, { source: { kind, name, directory } }: Skill): string {
    if (kind !== 'extension') return body;
    const { workspace, shownValues = {} } = this.options;
    return replacePathVariables(body, { extensionPath: directory, workspacePath: workspace.root }, shownValues[name]);
  }

  private open(skill: Skill): void {
    this.options.workspace.addReadOnlyDirectory(skill.directory);
    this.activated.add(skill.name);
  }

  private async load(): Promise<void> {
    this.loaded = await loadSkills(this.options.findFolders(), this.options);
  }
}

const MOST_NAMED = 50;

/** The answers of activate_skill, and the prompts of `/skill`. */
function namesOf({ text, functionResponse }: Part): string[] {
  if (text !== undefined) return activatedNames(text);
  if (functionResponse?.name !== 'activate_skill') return [];
  const output = functionResponse.response?.['output'];
  return typeof output === 'string' ? activatedNames(output) : [];
}

function countNew(names: readonly string[], known: readonly string[]): number {
  return names.filter((name) => !known.includes(name)).length;
}

function toKeys(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map((name) => name.toLowerCase()));
}
