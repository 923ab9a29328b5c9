"""As much of CMSSW's configuration language as the stand-in for cmsRun needs, strict where the real one is."""


class Parameter(object):
    def __init__(self, *values):
        self.values = self.checked(list(values))

    def value(self):
        return self.values[0]

    def checked(self, values):
        if len(values) != 1:
            raise TypeError("%s takes one value" % type(self).__name__)
        return values


def number(low, high):
    class Number(Parameter):
        def checked(self, values):
            values = Parameter.checked(self, values)
            if not isinstance(values[0], int) or not low <= values[0] <= high:
                raise ValueError("%r is not in the range of this type" % (values[0],))
            return values
    return Number


int32, uint32, uint64 = number(-2 ** 31, 2 ** 31 - 1), number(0, 2 ** 32 - 1), number(0, 2 ** 64 - 1)


class string(Parameter):
    pass


class bool(Parameter):
    pass


class List(Parameter):
    def checked(self, values):
        if len(values) == 1 and isinstance(values[0], (list, tuple)):
            values = list(values[0])
        return values

    def __len__(self):
        return len(self.values)

    def __iter__(self):
        return iter(self.values)


class vstring(List):
    pass


class vuint32(List):
    pass


class VLuminosityBlockRange(List):
    pass


class PSet(object):
    def __init__(self, **parameters):
        self.__dict__.update(parameters)

    def __setattr__(self, name, value):
        if not isinstance(value, (Parameter, PSet)):
            raise TypeError("%s must be a parameter" % name)
        self.__dict__[name] = value

    def parameterNames_(self):
        return [name for name in self.__dict__ if not name.startswith("_")]


class Module(PSet):
    def __init__(self, type_name, **parameters):
        self.__dict__["_type"] = type_name
        PSet.__init__(self, **parameters)

    def type_(self):
        return self._type


class Source(Module):
    pass


class EDProducer(Module):
    pass


class EDFilter(Module):
    pass


class OutputModule(Module):
    pass


class Service(Module):
    pass


class Path(PSet):
    """What is run, and in which order: the stand-in runs everything there is."""

    def __init__(self, *modules):
        PSet.__init__(self)


class EndPath(Path):
    pass


class Process(object):
    def __init__(self, name):
        self.__dict__["_name"] = name

    def __setattr__(self, name, value):
        if not isinstance(value, (PSet, Parameter)):
            raise TypeError("%s cannot be part of a process" % name)
        self.__dict__[name] = value

    def of_(self, kind):
        return dict((name, one) for name, one in self.__dict__.items() if isinstance(one, kind))

    def add_(self, service):
        setattr(self, service.type_(), service)

    def producers_(self):
        return self.of_(EDProducer)

    def filters_(self):
        return self.of_(EDFilter)

    def outputModules_(self):
        return self.of_(OutputModule)


class untracked(object):
    pass


for kind in (int32, uint32, uint64, string, bool, vstring, vuint32, VLuminosityBlockRange, PSet):
    setattr(untracked, {int32: "int32", uint32: "uint32", uint64: "uint64"}.get(kind, kind.__name__), kind)
