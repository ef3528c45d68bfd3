/** What the bench's models share: text without repetition, and frames written as fast as the reader accepts them. */

/** No repetition: loop detection rightly stops an answer that repeats itself. */
export function words(seed, length) {
  let text = '';
  for (let state = seed + 1; text.length < length;) {
    state = (state * 48_271) % 2_147_483_647;
    text += `${state.toString(36)} `;
  }
  return text.slice(0, length);
}

/** Writes frame by frame, as fast as the reader accepts them. */
export function play(response, stream) {
  let index = 0;
  const more = () => {
    while (index < stream.length) {
      if (!response.write(stream[index++])) {
        response.once('drain', more);
        return;
      }
    }
    response.end();
  };
  more();
}
