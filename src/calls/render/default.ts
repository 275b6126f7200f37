import { renderBlock } from './blocks.ts'
import { createRender } from './render.ts'

/** Dispatch's placeholders and BooCode's word for nothing (C17). */
export const renderDefault = createRender({ block: renderBlock, empty: '(no output)' })
