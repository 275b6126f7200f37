import type { Annotations } from '../../index.ts'

/** What a tool declares about itself, in words. A tool that declares nothing may write. */
export function marksOf(annotations: Annotations): readonly string[] {
  const { readOnlyHint, readOnly, destructiveHint, openWorldHint } = annotations
  const isReadOnly = (readOnlyHint ?? readOnly) === true
  return [
    isReadOnly ? 'only reads' : 'writes',
    ...(destructiveHint === true ? ['deletes'] : []),
    ...(openWorldHint === true ? ['reaches outside'] : []),
  ]
}
