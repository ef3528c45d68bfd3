/**
 * The secrets of one session: a vault with the credentials and withheld variables of the run, placed before the model, the
 * session's file, the tools and the commands. It opens nothing until a text holds a secret.
 */

import type { ContentGenerator } from '../provider/content-generator.ts';
import { wrapGenerator } from '../provider/wrap-generator.ts';
import type { Content, GenerateContentParameters, PartListUnion } from '../protocol/content.ts';
import { originOf, withOrigin } from '../protocol/origin.ts';
import type { SessionRecorder } from '../records/session-recorder.ts';
import type { ToolLookup } from '../scheduler/ports.ts';
import { changeTexts } from '../secrets/conceal-value.ts';
import type { MarkedCommand } from '../secrets/mark-command.ts';
import { MARKS_NOTE, SecretVault, toMark } from '../secrets/secret-vault.ts';
import type { TelemetryPort } from '../telemetry/open-telemetry.ts';
import type { MarkedValue, SecretMark } from '../secrets/secret-vault.ts';
import type { Workspace } from '../tools/files/workspace.ts';
import { createRedaction } from '../tools/shell/redact-environment.ts';
import { debugLogger } from '../util/debug-logger.ts';
import { actingFor } from '../util/outgoing.ts';
import { systemClock } from '../util/clock.ts';
import type { Clock } from '../util/clock.ts';
import { toParts } from '../util/part-list.ts';
import type { ResolvedWorkspaceOptions } from './workspace-options.ts';

type Instruction = Content | string;
type Tools = NonNullable<NonNullable<GenerateContentParameters['config']>['tools']>;

const SHELL_TOOL = 'run_shell_command';

export class WorkspaceSecrets {
  private readonly vault: SecretVault;
  private readonly withheld: Readonly<Record<string, string>>;
  private recorder: SessionRecorder | undefined;
  private readonly home: string;
  private readonly sessionId: string;
  private readonly clock: Clock;
  /** The marks of an earlier run of the session. */
  private earlier: { known: readonly SecretMark[]; fingerprintOf: (value: string) => string | undefined } | undefined;
  private recorded: Promise<void> = Promise.resolve();
  private readonly concealed = new WeakMap<Content, Content>();
  private readonly concealedTools = new WeakMap<Tools, Tools>();
  private uncoverLog = (): void => undefined;
  private hasToldMarks = false;
  private readonly toldVariables = new Set<string>();
  private instruction: { given: Instruction; clean: Instruction } | undefined;

  constructor({ home, sessionId, environment, secrets, redaction, clock = systemClock }: ResolvedWorkspaceOptions) {
    const isWithheld = createRedaction(redaction ?? { enabled: false });
    const variables = Object.entries(environment).flatMap(([name, value]) =>
      value !== undefined && isWithheld(name, value) ? [[name, value] as const] : [],
    );
    this.withheld = Object.fromEntries(variables);
    this.vault = new SecretVault({
      credentials: secrets,
      withheld: this.withheld,
      known: () => this.earlier?.known ?? [],
      fingerprintOf: (value) => this.earlier?.fingerprintOf(value),
      onMark: (mark) => void (this.recorded = this.recorded.then(() => this.record(mark))),
    });
    this.home = home;
    this.sessionId = sessionId;
    this.clock = clock;
  }

  /** From now on what this recorder writes has marks in place of values, and the marks themselves. */
  async attach(recorder: SessionRecorder | undefined, { isResumed }: { isResumed: boolean }): Promise<void> {
    this.recorder = recorder;
    this.concealRecord(recorder);
    if (!recorder || !isResumed) return;
    const { createFingerprint, readMarks } = await import('../secrets/mark-records.ts');
    this.earlier = { known: readMarks(recorder.path), fingerprintOf: createFingerprint(this.home) };
  }

  /** Resolves when every mark is on record; the debug log belongs to other sessions from then on. */
  async close(): Promise<void> {
    await this.recorded;
    this.uncoverLog();
  }

  /** The same for the record of a child, which shares the marks of its parent. */
  concealRecord(recorder: SessionRecorder | undefined): void {
    // First in the texts: in JSON the escape of a line end would be part of the word after it. Then in names and ids.
    recorder?.concealWith((record) => this.conceal(JSON.stringify(changeTexts(record, this.conceal))));
  }

  /** The debug log, which is the process's, until `close`, and telemetry. */
  coverLogs(telemetry: TelemetryPort | undefined): void {
    this.uncoverLog = debugLogger.concealWith(this.conceal);
    telemetry?.concealWith?.((value) => changeTexts(value, this.conceal));
  }

  readonly conceal = (text: string): string => this.vault.conceal(text);

  /** What the user sends. The model is told what a mark is when the first one appears. */
  readonly concealInput = <T extends PartListUnion>(input: T): PartListUnion => {
    const clean = changeTexts<PartListUnion>(input, this.conceal);
    const note = clean === input ? undefined : this.tellMarks();
    return note === undefined ? clean : [...toParts(clean), { text: note }];
  };

  /** Every request passes it: a content is looked at once, however often it is sent. */
  wrap(generator: ContentGenerator): ContentGenerator {
    return wrapGenerator(generator, {
      rewrite: (request) => this.concealRequest(request),
      // What it connects to is recorded as this session's.
      around: (send) => actingFor({ session: this.sessionId }, send),
    });
  }

  async guard(tools: ToolLookup, workspace: Workspace): Promise<ToolLookup> {
    const { guardTools } = await import('../secrets/guard-tools.ts');
    return guardTools(tools, {
      vault: this.vault,
      resolve: (path) => workspace.resolve(path),
      noteFor: (tool, args, isMarked) => this.noteFor(tool, args, isMarked),
    });
  }

  /** Throws MarkError for a mark that the command cannot use. */
  readonly useMarks = async (command: string): Promise<MarkedCommand> => {
    if (!command.includes(toMark('').slice(0, -1))) return { command, variables: {} };
    const { useMarks } = await import('../secrets/mark-command.ts');
    const marks = this.vault.marksIn(command);
    return useMarks(command, (name) => marks.get(name));
  };

  /** Loaded by the first mark: most sessions have none. */
  private async record({ value, ...mark }: MarkedValue): Promise<void> {
    const { createFingerprint, toMarkRecord } = await import('../secrets/mark-records.ts');
    const { name, kind, fingerprint = createFingerprint(this.home)(value) } = mark;
    this.recorder?.workspace(toMarkRecord({ name, kind, fingerprint }, new Date(this.clock.now()).toISOString()));
  }

  private concealRequest(request: GenerateContentParameters): GenerateContentParameters {
    const { contents, config } = request;
    const clean = contents.map((content) => this.concealContent(content));
    const isSame = clean.every((content, index) => content === contents[index]);
    const instruction = config?.systemInstruction;
    const told = instruction === undefined ? undefined : this.concealInstruction(instruction);
    const tools = config?.tools && this.concealTools(config.tools);
    if (isSame && told === instruction && tools === config?.tools) return request;
    return {
      ...request,
      ...(!isSame && { contents: clean }),
      config: { ...config, ...(told !== undefined && { systemInstruction: told }), ...(tools && { tools }) },
    };
  }

  /** A server describes its tools as it likes. Their declarations are the same objects in most turns. */
  private concealTools(given: Tools): Tools {
    const known = this.concealedTools.get(given) ?? changeTexts(given, this.conceal);
    this.concealedTools.set(given, known);
    return known;
  }

  /** The same for every turn, but for a few. */
  private concealInstruction(given: Instruction): Instruction {
    if (this.instruction?.given !== given) this.instruction = { given, clean: changeTexts(given, this.conceal) };
    return this.instruction.clean;
  }

  private concealContent(content: Content): Content {
    // What the model wrote, it knows; and a changed turn would lose the state its provider expects back.
    if (content.role === 'model') return content;
    const known = this.concealed.get(content);
    if (known) return known;
    const changed = changeTexts(content, this.conceal);
    const clean = changed === content ? content : withOrigin(changed, originOf(content));
    this.concealed.set(content, clean);
    return clean;
  }

  private noteFor(tool: string, args: Readonly<Record<string, unknown>>, isMarked: boolean): string | undefined {
    const notes = [isMarked ? this.tellMarks() : undefined, tool === SHELL_TOOL ? this.tellWithheld(args) : undefined];
    const told = notes.filter((note) => note !== undefined).join('\n');
    return told === '' ? undefined : told;
  }

  private tellMarks(): string | undefined {
    if (this.hasToldMarks) return undefined;
    this.hasToldMarks = true;
    return MARKS_NOTE;
  }

  /** A command that names a withheld variable finds it empty: the model should know why. */
  private tellWithheld({ command }: Readonly<Record<string, unknown>>): string | undefined {
    if (typeof command !== 'string') return undefined;
    const names = [...command.matchAll(/\b[A-Za-z_]\w{2,}\b/g)].flatMap(([name]) =>
      Object.hasOwn(this.withheld, name) && !this.toldVariables.has(name) ? [name] : [],
    );
    const unique = [...new Set(names)];
    for (const name of unique) this.toldVariables.add(name);
    if (unique.length === 0) return undefined;
    return `Note: Castor withholds ${unique.join(', ')} from commands. The user can grant it in the settings: security.environmentVariableRedaction.allowed.`;
  }
}
