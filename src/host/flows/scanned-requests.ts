import type { RequestHandlers } from '../../connections/server-requests.ts'
import type { Finding } from '../../model/finding.ts'

/**
 * Scans the questions and sampling requests of servers before a person sees them. The findings go with the request: nothing is
 * refused for them, because the person decides (T20, T21). The scanner is loaded with the first request.
 */
export function withFindings(handlers: RequestHandlers): RequestHandlers {
  const { elicit, sample } = handlers
  return {
    ...handlers,
    ...(elicit && {
      elicit: async (elicitation, options) => {
        const { server, message, schema, url } = elicitation
        const { scanElicitation } = await loadScan()
        const texts = {
          message,
          ...(schema && { requestedSchema: schema }),
          ...(url !== undefined && { url }),
        }
        return elicit({ ...elicitation, ...found(scanElicitation(texts, { server })) }, options)
      },
    }),
    ...(sample && {
      sample: async (request, options) => {
        const { server, params } = request
        const { scanSampling } = await loadScan()
        return sample({ ...request, ...found(scanSampling(params, { server })) }, options)
      },
    }),
  }
}

const loadScan = () => import('../../scan/scan-result.ts')

function found(findings: readonly Finding[]): { readonly findings?: readonly Finding[] } {
  return findings.length === 0 ? {} : { findings }
}
