export declare const tools: readonly { readonly name: string }[]
