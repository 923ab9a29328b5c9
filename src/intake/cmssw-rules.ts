/** Words that end up in scripts on worker nodes and in DBS, so held to what CMS itself allows. */
export const CMSSW_RULES = {
  step: [/^[A-Za-z][A-Za-z0-9_-]{0,49}$/, "a letter, then letters, digits, '-', '_'; at most 50 characters"],
  release: [/^CMSSW(_\d+){3}(_[A-Za-z0-9_]{1,50})?$/, "CMSSW_14_0_1 or the like"],
  arch: [/^[A-Za-z0-9_]{1,50}$/, "[el9_amd64_gcc12] or the like"],
  globalTag: [/^[A-Za-z0-9.:_-]{1,100}$/, "letters, digits, '.', ':', '_', '-'; at most 100 characters"],
  configCacheId: [/^[A-Za-z0-9_-]{1,100}$/, "letters, digits, '_', '-'; at most 100 characters"],
  module: [/^[A-Za-z][A-Za-z0-9_]{0,99}$/, "the label of an output module: letters, digits, '_'"],
  tier: [/^[A-Z0-9-]{1,99}$/, "capital letters, digits, '-'"],
} as const;
