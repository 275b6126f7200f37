import type { CustomTool } from 'plugboard/omp'

const cwd = process.cwd()
const session = { refreshMCPTools: (_tools: CustomTool[]) => undefined }
const show = (_event: unknown) => undefined
const askPerson = async () => true
const log = { warn: (line: string) => console.log(line) }
//- snippet
