/** Opens the skills of a workspace, and loads their room only where a skill exists or the user asks for one. */

import { findSkillFolders } from '../skills/skill-folders.ts';
import type { SessionSkills } from '../skills/session-skills.ts';
import type { Content } from '../protocol/content.ts';
import type { Source, SourceValues } from '../protocol/source.ts';
import type { DefinedTool } from '../protocol/tools.ts';
import type { UserHints } from '../protocol/user-hints.ts';
import type { PolicyQuestion } from '../scheduler/ports.ts';
import type { Workspace } from '../tools/files/workspace.ts';
import type { ToolRegistry } from '../tools/tool-registry.ts';
import type { SkillOptions, Warn } from './workspace-options.ts';

export interface SkillSurroundings {
  home: string;
  sources: readonly Source[];
  workspace: Workspace;
  shownValues?: SourceValues | undefined;
  tools: () => ToolRegistry;
  /** The conversation of a resumed session. */
  history: readonly Content[];
  /** Whether the window of the model is small. */
  isCompact: () => boolean;
  /** Called when the system instruction changed. */
  onChange: () => void;
  warn: Warn;
  /** Whether a tool is not offered because the run cannot ask about it. */
  isUnanswerable: (tool: DefinedTool) => boolean;
  hints?: Pick<UserHints, 'allowSkills'> | undefined;
}

export class WorkspaceSkills {
  private readonly options: SkillOptions;
  private readonly around: SkillSurroundings;
  private opening: Promise<SessionSkills> | undefined;
  private opened: SessionSkills | undefined;
  private mentionsActive = false;
  private isTold = false;

  constructor(options: SkillOptions, around: SkillSurroundings) {
    this.options = options;
    this.around = around;
  }

  /** Opens the skills of a start; a built-in skill alone is not offered to the model. */
  async start(): Promise<void> {
    const isWanted = this.options.enabled !== false && this.findFolders().some(isOwn);
    if (!isWanted) return;
    const { conflicts, problems } = await this.open();
    for (const sentence of [...conflicts, ...problems]) this.around.warn(sentence);
  }

  /** For surfaces: also where no skill exists. Their answers name the problems of skills written since the start. */
  open(): Promise<SessionSkills> {
    this.opening ??= this.load();
    return this.opening;
  }

  /** The section of the system instruction. */
  describe(): string {
    // Where a policy denies the tool, the list would only mislead.
    if (!this.opened || !this.around.tools().getTool('activate_skill')) return '';
    return this.opened.describe({ isCompact: this.around.isCompact(), mentionsActive: this.mentionsActive });
  }

  /** The instructions of activated skills left the history. */
  afterCompression(): void {
    if (!this.opened || this.opened.activeNames.length === 0) return;
    this.mentionsActive = true;
    this.around.onChange();
  }

  /** A skill of Castor itself needs no approval. */
  isPreapproved({ toolName, args }: PolicyQuestion): boolean {
    if (toolName !== 'activate_skill' || typeof args['name'] !== 'string') return false;
    return this.opened?.find(args['name'])?.source.kind === 'builtin';
  }

  private async load(): Promise<SessionSkills> {
    const { home, workspace, shownValues, history } = this.around;
    const { SessionSkills: Opened } = await import('../skills/session-skills.ts');
    const { enabled = true, disabled = [] } = this.options;
    const findFolders = () => (enabled ? this.findFolders() : []);
    const skills = await Opened.open({ home, workspace, shownValues, findFolders, disabled });
    skills.restore(history);
    skills.follow(() => this.offer(skills).then(this.around.onChange));
    this.opened = skills;
    await this.offer(skills);
    return skills;
  }

  private async offer(skills: SessionSkills): Promise<void> {
    const tools = this.around.tools();
    if (!this.isOffered(skills)) {
      tools.unregister('activate_skill');
      return;
    }
    const { createActivateSkillTool, describeDenied } = await import('../skills/activate-skill.ts');
    const tool = createActivateSkillTool(skills);
    tools.register(tool);
    const { isUnanswerable, warn, hints } = this.around;
    if (this.isTold || !isUnanswerable(tool)) return;
    this.isTold = true;
    warn(describeDenied(skills.offered.filter(isOwn), hints));
  }

  private isOffered(skills: SessionSkills): boolean {
    return skills.offered.some(isOwn);
  }

  private findFolders() {
    return findSkillFolders(this.around.sources, { readsClaude: this.options.readsClaude ?? false });
  }
}

function isOwn({ source }: { source: Source }): boolean {
  return source.kind !== 'builtin';
}
