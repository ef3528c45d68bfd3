/**
 * Describes the editor's state as text for the model: everything the first time, later only the changes. Pure except
 * for the memory of the last description.
 */

export interface IdeCursor {
  line: number;
  character: number;
}

export interface IdeFile {
  path: string;
  cursor?: IdeCursor;
  selectedText?: string;
}

export interface IdeState {
  activeFile?: IdeFile;
  otherOpenFiles?: string[];
}

const FULL_INTRODUCTION = "The user's editor shows this. It is context, not a request:";
const DELTA_INTRODUCTION = "This changed in the user's editor since the last message. It is context, not a request:";

export class IdeContext {
  private readonly current: () => IdeState | undefined;
  private told: IdeState | undefined;

  /** `current` returns the editor's state; undefined while no editor is connected. */
  constructor(current: () => IdeState | undefined) {
    this.current = current;
  }

  /** The model may have lost the context: describe everything again. */
  reset(): void {
    this.told = undefined;
  }

  /** The text to send now; undefined when nothing changed. */
  take(): string | undefined {
    const state = this.current();
    if (!state) return undefined;
    const before = this.told;
    const message = before ? describeChanges(before, state) : describeAll(state);
    if (message !== undefined) this.told = structuredClone(state);
    return message;
  }
}

function describeAll({ activeFile, otherOpenFiles = [] }: IdeState): string | undefined {
  const shown = {
    ...(activeFile && { activeFile: toJson(activeFile) }),
    ...(otherOpenFiles.length > 0 && { otherOpenFiles }),
  };
  return Object.keys(shown).length > 0 ? fence(FULL_INTRODUCTION, shown) : undefined;
}

function describeChanges(before: IdeState, now: IdeState): string | undefined {
  const opened = filesOf(now).filter((path) => !filesOf(before).includes(path));
  const closed = filesOf(before).filter((path) => !filesOf(now).includes(path));
  const changes = {
    ...(opened.length > 0 && { filesOpened: opened }),
    ...(closed.length > 0 && { filesClosed: closed }),
    ...describeActiveFile(before.activeFile, now.activeFile),
  };
  return Object.keys(changes).length > 0 ? fence(DELTA_INTRODUCTION, { changes }) : undefined;
}

function describeActiveFile(before: IdeFile | undefined, now: IdeFile | undefined): object {
  if (!now) return before ? { activeFileChanged: { path: null, previousPath: before.path } } : {};
  if (before?.path !== now.path) return { activeFileChanged: toJson(now) };
  const { path, cursor, selectedText = '' } = now;
  const moved = cursor && (before.cursor?.line !== cursor.line || before.cursor.character !== cursor.character);
  return {
    ...(moved && { cursorMoved: { path, cursor } }),
    ...((before.selectedText ?? '') !== selectedText && { selectionChanged: { path, selectedText } }),
  };
}

function filesOf({ activeFile, otherOpenFiles = [] }: IdeState): string[] {
  return [...(activeFile ? [activeFile.path] : []), ...otherOpenFiles];
}

function toJson({ path, cursor, selectedText }: IdeFile): object {
  return { path, ...(cursor && { cursor }), ...(selectedText && { selectedText }) };
}

function fence(introduction: string, value: object): string {
  return `${introduction}\n\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}
