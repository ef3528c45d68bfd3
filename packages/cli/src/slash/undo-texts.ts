/** The words of undo for a surface that draws them itself. */

export { describeDiffs, describePreview, diffText } from '../commands/undo-text.ts';
