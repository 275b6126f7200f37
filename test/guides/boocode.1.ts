import type { ToolDef } from 'plugboard/boocode'
import { z } from 'zod'

const own = (name: string): ToolDef => ({
  name,
  description: '',
  inputSchema: z.record(z.string(), z.unknown()),
  jsonSchema: { type: 'object' },
  execute: async () => '',
})
const [viewFile, grep, webSearch] = [own('view_file'), own('grep'), own('web_search')]
//- snippet
