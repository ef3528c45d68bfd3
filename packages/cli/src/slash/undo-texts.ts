/** The words of undo for a surface that draws them itself. */

export { countPreview, describeDiffs, describePreview, diffText } from '../commands/undo-text.ts';
