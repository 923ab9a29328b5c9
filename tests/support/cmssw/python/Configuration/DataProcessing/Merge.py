import FWCore.ParameterSet.Config as cms


def mergeProcess(*files, **options):
    process = cms.Process(options.get("process_name", "Merge"))
    process.source = cms.Source("PoolSource", fileNames=cms.untracked.vstring(*files))
    process.Merged = cms.OutputModule("PoolOutputModule",
                                      fileName=cms.untracked.string(options.get("output_file", "Merged.root")))
    return process
