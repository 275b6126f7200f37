/** The version of the rules. Raised with every change that can change a finding. */
export const rulesVersion = '5'
