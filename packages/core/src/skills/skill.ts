/** A skill: a folder with a SKILL.md whose name and description the model always sees, and whose body it asks for. Types only. */

import type { Source } from '../protocol/source.ts';

/** A folder that may hold a skill. */
export interface SkillFolder {
  readonly source: Source;
  /** As it was found; a link stays a link. */
  readonly directory: string;
  /** Of Claude Code, which needs no name and no description. */
  readonly isClaude?: boolean | undefined;
}

export interface Skill extends SkillFolder {
  readonly name: string;
  /** One line. */
  readonly description: string;
  /** The SKILL.md. */
  readonly file: string;
  /** Its author keeps it from the model: only the user can activate it. */
  readonly isUserOnly?: boolean | undefined;
}

export interface LoadedSkills {
  /** One of each name, the most important source first. */
  readonly skills: readonly Skill[];
  /** Invalid files, each with file, line and reason. */
  readonly problems: readonly string[];
  /** Names that several folders claim. */
  readonly conflicts: readonly string[];
}
