/**
 * V8 compiles a pattern to bytecode first, and to machine code when it is used again. For a large pattern, bytecode takes about
 * five times as long as machine code, because V8 looks for instructions that can be combined. For a text of 1,000 characters or
 * more V8 compiles machine code at once, and keeps to it for shorter texts.
 */
const longText = ' '.repeat(1000)

const compiled = new WeakSet<RegExp>()

/** The pattern, compiled to machine code. For patterns of several hundred characters that are used for each sentence. */
export function largePattern(pattern: RegExp): RegExp {
  if (compiled.has(pattern)) return pattern
  compiled.add(pattern)
  pattern.test(longText)
  return pattern
}
