# pset.py: the configuration that cmsRun evaluates. It loads the request's own one and adjusts it to the job: what to read,
# which events, seeds, threads, pile-up, and how the files are called. There is no second Python process and no generated
# file: what a job ran can be seen from its manifest. Runs with every Python that a CMSSW ever had.
import hashlib
import json
import os

import FWCore.ParameterSet.Config as cms

STATE = ".wms2-cmssw.json"  # step -> output module -> files, for the steps after it


class Job(object):
    """What the worker says in the environment (docs/submit-directory.md)."""

    def __init__(self, environ):
        def number(name):
            return int(environ[name]) if environ.get(name) else None

        self.first_event = number("WMS2_FIRST_EVENT")
        self.last_event = number("WMS2_LAST_EVENT")
        self.first_lumi = number("WMS2_FIRST_LUMI")
        self.last_lumi = number("WMS2_LAST_LUMI")
        self.run_lumis = json.loads(environ.get("WMS2_RUN_LUMIS") or "null")
        self.seed = environ.get("WMS2_SEED", "0")
        self.attempt = environ.get("WMS2_CLUSTER", "")
        self.cores = number("WMS2_CORES")
        self.threads = number("WMS2_THREADS")
        self.instance = number("WMS2_INSTANCE")  # one of several at once: the range is one of its own input
        self.before_dirs = environ.get("WMS2_BEFORE_DIRS", ".").split("\n")
        self.output = environ.get("WMS2_OUTPUT")
        self.inputs = []
        if environ.get("WMS2_INPUT_LIST"):
            with open(environ["WMS2_INPUT_LIST"]) as listed:
                self.inputs = [line.rstrip("\n") for line in listed if line.strip()]

    def events(self):
        if self.first_event is None or self.last_event is None:
            return None
        return self.last_event - self.first_event + 1


def as_url(path):
    """cmsRun looks up /store/... at its site, takes URLs as they are, and files as file:..."""
    return path if path.startswith("/store/") or ":" in path.split("/")[0] else "file:" + path


def random_from(*words):
    text = "/".join(str(word) for word in words).encode("utf-8")
    return int(hashlib.sha256(text).hexdigest()[:12], 16)


def load(path):
    names = {"__name__": "wms2_request_pset", "__file__": path}
    with open(path) as text:
        exec(compile(text.read(), path, "exec"), names)
    if "process" not in names:
        raise RuntimeError("%s makes no process" % path)
    return names["process"]


def files_before(job):
    """What the steps before wrote: the last of them in one directory, or in one for each of its instances."""
    files_of = {}
    for directory in job.before_dirs:
        path = os.path.join(directory, STATE)
        if not os.path.exists(path):
            continue
        with open(path) as text:
            found = json.load(text)
        for step in found:
            for module in found[step]:
                known = files_of.setdefault(step, {}).setdefault(module, [])
                names = [os.path.normpath(os.path.join(directory, name)) for name in found[step][module]]
                known.extend(name for name in names if name not in known)
    return files_of


def read_files(process, step, job, files_of):
    source = process.source
    if step["input"]:
        made = files_of.get(step["input"]["step"], {})
        names = made.get(step["input"]["module"])
        if names is None and len(made) == 1 and not step["input"]["module"]:
            names = list(made.values())[0]
        if names is None:
            raise RuntimeError("step %s reads the output of module %s of step %s, which wrote %s" % (
                step["name"], step["input"]["module"], step["input"]["step"], ", ".join(sorted(made)) or "nothing"))
        source.fileNames = cms.untracked.vstring(["file:" + name for name in names])
        if job.instance:
            source.skipEvents = cms.untracked.uint32(job.first_event)
        return
    if job.inputs:
        source.fileNames = cms.untracked.vstring([as_url(path) for path in job.inputs])
        if job.first_event is not None:
            source.skipEvents = cms.untracked.uint32(job.first_event)
        if job.run_lumis:
            source.lumisToProcess = cms.untracked.VLuminosityBlockRange([
                "%s:%d-%s:%d" % (run, first, run, last)
                for run in sorted(job.run_lumis, key=int) for first, last in job.run_lumis[run]])
        return
    generate(source, step, job)


def generate(source, step, job):
    first = job.first_event or 1
    source.firstRun = cms.untracked.uint32(1)
    source.firstEvent = (cms.untracked.uint32 if first < 2 ** 32 else cms.untracked.uint64)(first)
    if job.first_lumi is not None:
        source.firstLuminosityBlock = cms.untracked.uint32(job.first_lumi)
        alone = job.first_lumi == job.last_lumi
        per_lumi = job.events() if alone else step["eventsPerLumi"]
        if per_lumi:
            source.numberEventsInLuminosityBlock = cms.untracked.uint32(per_lumi)
    if step["lhe"]:  # the files are the configuration's own; each job takes its part of them
        source.skipEvents = cms.untracked.uint32(first - 1)


def count_events(process, step, job):
    wanted = job.events() if job.instance or not step["input"] else None
    process.maxEvents = cms.untracked.PSet(input=cms.untracked.int32(-1 if wanted is None else wanted))
    if wanted is None:
        return
    for producer in process.producers_().values():
        if producer.type_() == "ExternalLHEProducer":
            producer.nEvents = cms.untracked.uint32(wanted)


def set_seeds(process, step, job):
    """Reproducible: the job's own, so that every attempt makes the same events. Automatic: another try has other luck."""
    service = getattr(process, "RandomNumberGeneratorService", None)
    if service is None:
        return
    luck = [job.seed] if step["seeding"] == "ReproducibleSeeding" else [job.seed, job.attempt]
    luck += [job.instance] if job.instance else []
    for name in service.parameterNames_():
        engine = getattr(service, name)
        if hasattr(engine, "initialSeed"):
            engine.initialSeed = cms.untracked.uint32(random_from(step["name"], name, *luck) % 900000000 + 1)
        elif hasattr(engine, "initialSeedSet"):
            engine.initialSeedSet = cms.untracked.vuint32([
                random_from(step["name"], name, at, *luck) % 900000000 + 1
                for at in range(len(engine.initialSeedSet))])


def set_threads(process, step, job):
    if not hasattr(process, "options"):
        process.options = cms.untracked.PSet()
    threads = job.threads or min(step["cores"], job.cores or step["cores"])
    process.options.numberOfThreads = cms.untracked.uint32(threads)
    streams = min(step["streams"], threads) if job.threads else step["streams"]
    process.options.numberOfStreams = cms.untracked.uint32(streams)


def set_pileup(process, step, job):
    modules = list(process.producers_().values()) + list(process.filters_().values())
    kinds = {"mc": ["MixingModule", "DataMixingModule", "PreMixingModule"], "data": ["DataMixingModule"]}
    for kind in ("mc", "data"):
        if not step["pileup"][kind]:
            continue
        with open(step["pileup"][kind]) as listed:
            files = [as_url(line.strip()) for line in listed if line.strip()]
        # Every job begins elsewhere, and every attempt of it at the same place.
        at = random_from("pileup", kind, job.seed) % max(len(files), 1)
        for module in modules:
            if module.type_() not in kinds[kind]:
                continue
            for part in [getattr(module, name) for name in ("input", "secsource") if hasattr(module, name)]:
                part.fileNames = cms.untracked.vstring(files[at:] + files[:at])
                if step["deterministicPileup"]:
                    part.sequential = cms.untracked.bool(True)


def dataset_of(module):
    """The tier and the filter that an output module names."""
    def said(name):
        return getattr(module.dataset, name).value() if hasattr(module, "dataset") and hasattr(module.dataset, name) else ""
    return said("dataTier"), said("filterName")


def name_outputs(process, step):
    """A declared output is written by the module that is named, else by the one of its tier and filter, else by the only one."""
    modules = process.outputModules_()
    kinds = dict((name, dataset_of(module)) for name, module in modules.items())
    files = dict((name, "%s.%s.root" % (step["name"], name)) for name in modules)
    taken = set()
    for output in step["outputs"]:
        name, kind = output["module"], (output["tier"], output.get("filter", ""))
        if name is None:
            fits = [one for one in kinds if kinds[one] == kind]
            if not fits and not kind[1]:
                fits = [one for one in kinds if kinds[one][0] == kind[0]] or list(modules)
            name = fits[0] if len(fits) == 1 else None
        if name not in modules or name in taken:
            raise RuntimeError("no output module of step %s writes %s; it has %s" % (
                step["name"], output["module"] or " ".join(kind).strip(),
                ", ".join("%s (%s)" % (one, " ".join(kinds[one]).strip()) for one in sorted(kinds)) or "none"))
        taken.add(name)
        files[name] = output["file"]
    for name, module in modules.items():
        module.fileName = cms.untracked.string(files[name])
    return files


def prepare(step, job):
    if step.get("merge"):
        from Configuration.DataProcessing.Merge import mergeProcess
        tier = step["merge"]
        return mergeProcess([as_url(path) for path in job.inputs], process_name="MERGE", output_file=job.output,
                            newDQMIO=tier == "DQMIO", mergeNANO=tier.startswith("NANO"))
    process = load(step["pset"])
    files_of = files_before(job)
    read_files(process, step, job, files_of)
    count_events(process, step, job)
    set_seeds(process, step, job)
    set_threads(process, step, job)
    set_pileup(process, step, job)
    files_of[step["name"]] = dict((module, [name]) for module, name in name_outputs(process, step).items())
    with open(STATE, "w") as text:
        json.dump(files_of, text)
    return process


try:
    process = prepare(json.loads(os.environ["WMS2_CMSSW_STEP"]), Job(os.environ))
except Exception:
    # cmsRun would call every such end alike; this is a configuration that cannot be used, wherever it is tried.
    with open(os.environ.get("WMS2_STEP_REPORT", os.devnull), "a") as report:
        report.write("exit_code=7002\n")
    raise
